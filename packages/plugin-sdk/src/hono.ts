import type { PluginHandler } from './define-plugin.ts'

/**
 * A handler for Hono: `app.post('/lifecycle', toHonoHandler(plugin))`. Any other server with the fetch interface can
 * call the plugin directly, with a `Request`.
 */
export const toHonoHandler =
  (plugin: PluginHandler) =>
  (context: { req: { raw: Request } }): Promise<Response> =>
    plugin(context.req.raw)
