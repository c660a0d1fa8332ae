/**
 * The roles of a table, set explicitly: some browsers drop the implicit roles of table elements that are laid out as
 * blocks or grids, as on a phone.
 */
export const asTable = { role: 'table' }
export const asRowGroup = { role: 'rowgroup' }
export const asRow = { role: 'row' }
export const asColumnHeader = { role: 'columnheader' }
export const asCell = { role: 'cell' }
export const asNothing = { role: 'presentation' }
