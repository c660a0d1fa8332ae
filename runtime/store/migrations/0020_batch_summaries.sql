-- What a batch is about, for its name in the language of its reader; null for batches made before.
alter table runtime.batch add column summary json;
-- An operation names the batches that started it.
create index batch_item_operation on runtime.batch_item (operation_id) where operation_id is not null;
