-- What the runtime has no value for (an infinite time, a number beyond 2^53) would spoil all that is claimed with it.
-- Rows that are there already are not looked through: they were written by the runtime, which writes no such thing.
alter table runtime.operation add constraint operation_readable check (
  isfinite(created_at) and isfinite(started_at) and isfinite(finished_at) and isfinite(next_attempt_at)
  and isfinite(available_at)
  and execution_sequence <= 9007199254740991 and lease_epoch between 0 and 9007199254740991) not valid;
