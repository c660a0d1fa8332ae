-- Which policy asks for how many approvals since this entry of a change request; null of every other entry.
alter table runtime.change_entry add column policy json;
