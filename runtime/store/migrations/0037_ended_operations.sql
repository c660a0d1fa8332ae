-- The list of operations by the time they ended or failed. The index also serves retention: that of 0028 has the same order,
-- but not the failed operations. So an operation that succeeds still costs one entry.
create index operation_ended on runtime.operation (finished_at, operation_id) where finished_at is not null;
drop index runtime.operation_finished;
