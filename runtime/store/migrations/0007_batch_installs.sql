-- The installation of an item that installs exists once the item has started; its `target` is then the installation's id.
alter table runtime.batch_item alter column bundle_install_id drop not null;
