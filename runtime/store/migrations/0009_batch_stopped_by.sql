-- who stopped a batch; null if nobody did, or before this version
alter table runtime.batch add column stopped_by_id text, add column stopped_by_name text;
