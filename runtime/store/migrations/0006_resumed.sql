-- Since when nothing holds it any more: the time in which it was paused is no time of retrying.
alter table runtime.operation add column resumed_at timestamptz;
alter table runtime.plugin add column resumed_at timestamptz;
