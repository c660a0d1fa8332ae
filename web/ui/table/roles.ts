/**
 * The parts of a table, said out loud: laid out as blocks and grids, as they are on a phone, some browsers forget what
 * their tags mean.
 */
export const asTable = { role: 'table' }
export const asRowGroup = { role: 'rowgroup' }
export const asRow = { role: 'row' }
export const asColumnHeader = { role: 'columnheader' }
export const asCell = { role: 'cell' }
export const asNothing = { role: 'presentation' }
