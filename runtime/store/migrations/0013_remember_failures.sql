-- batches: the causes of what has failed already, oldest first
do $$
declare
  after timestamptz := '-infinity';
  failed runtime.operation;
  found integer;
begin
  loop
    found := 0;
    for failed in
      select * from runtime.operation
      where state <> 'SUCCEEDED' and finished_at is not null and finished_at >= after
        and state in ('FAILED', 'TAKEN_OVER') and failure is not null and cause_id is null
      order by finished_at, operation_id limit 500
      for update skip locked
    loop
      found := found + 1;
      after := failed.finished_at;
      failed.cause_id := runtime.cause_of(failed.failure);
      update runtime.operation set cause_id = failed.cause_id where operation_id = failed.operation_id;
      perform runtime.remember_failure(failed);
    end loop;
    commit;
    exit when found = 0;
  end loop;
end $$;
