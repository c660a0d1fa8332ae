-- The newest version of a bundle is looked up with every installed version: the first entry of an index, however many are published or
-- recalled.
create index bundle_version_offered on runtime.bundle_version
  (bundle_environment_key, bundle_id, is_release desc, precedence desc, published_at desc, version desc)
  where standing is distinct from 'RECALLED';
drop index runtime.bundle_version_recalled;
create index bundle_version_recalled on runtime.bundle_version
  (bundle_environment_key, bundle_id, is_release desc, precedence desc, published_at desc, version desc)
  where standing = 'RECALLED';
