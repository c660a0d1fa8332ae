-- The people who have saved a scope, one look-up for each; without it, the whole history of the scope is sorted.
create index snapshot_saver on runtime.snapshot (scope_id, saved_by_id, snapshot_version desc) include (saved_by_name);
