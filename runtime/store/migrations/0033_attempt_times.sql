-- How the time of an attempt was spent. Null for attempts of earlier versions, and for what was not measured.
alter table runtime.attempt
  -- when the call could be made: a back-off ended, the call before it was recorded, or the run was requested
  add column due_at timestamptz,
  -- milliseconds since the worker held the attempt, by its own monotonic clock
  add column sent_ms double precision,
  add column connected_ms double precision,
  add column answered_ms double precision,
  add column ended_ms double precision;
