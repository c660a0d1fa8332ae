-- batches: what 0021, 0032 and 0036 add, for the operations that were there before
do $$
declare
  operations uuid[];
  last_operation uuid := '00000000-0000-0000-0000-000000000000';
begin
  loop
    operations := array(
      select operation_id from runtime.operation
      where operation_id > last_operation and (reason is not null or failure is not null
        or exists (select from runtime.operation_retry where operation_retry.operation_id = operation.operation_id)
        or exists (select from runtime.operation_note where operation_note.operation_id = operation.operation_id))
      order by operation_id limit 200);
    exit when cardinality(operations) = 0;
    -- Waits for those who add words to these operations, and they wait for this batch: a retry or a note refers to its
    -- operation. The next statements see what they have added.
    perform from runtime.operation where operation_id = any(operations) order by operation_id for update;
    update runtime.operation set failure = failure
      where operation_id = any(operations) and state = 'FAILED' and failure_group is null;
    insert into runtime.operation_text
      select operation_id, created_at, runtime.words_of(operation) from runtime.operation
      where operation_id = any(operations)
    on conflict (operation_id) do update set words = excluded.words
      where operation_text.words is distinct from excluded.words;
    last_operation := operations[cardinality(operations)];
    commit;
  end loop;
  analyze runtime.operation_text;
end $$;
