-- The installations of some properties with the word in their value; an installation occurs once for each of them. A limit of
-- installations cannot be told from one of properties here: one installation with many would hide the others.
create or replace function runtime.find_values(query tsquery, most integer) returns setof uuid
  language sql stable set enable_seqscan = off
  as $$select bundle_install_id from runtime.configuration_property
    where value ->> '@type' = 'Data' and runtime.value_words(value) @@ query limit most$$;
