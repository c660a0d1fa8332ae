/** What a list loads once it has filters, or its menu of views opens, as one chunk. */
export { ViewItems } from './ViewItems.tsx'
export { ViewTitle } from './ViewTitle.tsx'
