-- The plugin that an unfinished operation calls next, empty where it is not known: so that a worker finds what it can do
-- now without looking at the thousands that may wait for a plugin which does not answer.
alter table runtime.operation add column next_plugin text not null default '';
create index operation_queue_of_plugin on runtime.operation (next_plugin, available_at)
  where state in ('PENDING', 'RUNNING', 'WAITING');
drop index runtime.operation_queue;
