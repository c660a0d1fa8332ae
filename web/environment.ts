/** False while the console's server renders a page (`web/server/render-page.tsx`): there is no document or storage. */
export const isBrowser = typeof document !== 'undefined'
