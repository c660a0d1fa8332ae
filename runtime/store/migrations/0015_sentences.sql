-- What a search of operations finds besides the words of their reasons, failures and notes: values of configuration.

-- The words of a value: its texts and numbers, at any depth. A sealed value has none, and a value is sealed as soon as its property
-- is sensitive, so that a search never finds what is masked.
create function runtime.value_words(value jsonb) returns tsvector
  language sql immutable strict parallel safe set search_path = ''
  return case when value -> 'isSensitive' is null then runtime.words((
    select string_agg(part #>> '{}', e'\n')
    from jsonb_path_query(value, 'strict $.value.** ? (@.type() == "string" || @.type() == "number")', '{}', true) as part)) end;
create index configuration_property_words on runtime.configuration_property using gin (runtime.value_words(value))
  where value ->> '@type' = 'Data';

-- Some installations with the word in a value; always from the index, because the planner takes rare words for frequent ones.
create function runtime.find_values(query tsquery, most integer) returns setof uuid
  language sql stable set enable_seqscan = off
  as $$select distinct bundle_install_id from (
    select bundle_install_id from runtime.configuration_property
    where value ->> '@type' = 'Data' and runtime.value_words(value) @@ query limit most * 4) as found limit most$$;
