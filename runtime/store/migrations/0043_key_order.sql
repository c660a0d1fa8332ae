-- The keys of a saved value in the order in which they were written, because jsonb sorts them: the value with 0 for all
-- that is not an object or a list. Null if it is the order of jsonb, if the value is sealed, and in rows of a replica of
-- the previous release. It says nothing but an order, so one that is out of date does no harm.
alter table runtime.configuration_property add column key_order json;
