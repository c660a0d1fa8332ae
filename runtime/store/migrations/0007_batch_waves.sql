-- How a batch is divided into waves, and the waves that people continued with in spite of their conditions. Whether a wave waits
-- is worked out from the items.
alter table runtime.batch add column waves json;
alter table runtime.batch add column released_waves integer[] not null default '{}';

-- The wave of an item, null without waves and if its plan refused it; and the property that it was refused for.
alter table runtime.batch_item add column wave integer;
alter table runtime.batch_item add column locator text;
alter table runtime.batch_item add column property text;
