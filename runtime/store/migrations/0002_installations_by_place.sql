-- The page of one property lists the installations of a bundle in the order of their scopes.
create index installation_bundle_place on runtime.installation
  (bundle_id, environment_key, application_runtime_id, workspace_id, bundle_install_id) where state = 'ACTIVE';
