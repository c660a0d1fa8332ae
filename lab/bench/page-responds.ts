import { get } from 'node:http'

/** Whether a page responds. Not with `fetch`, which says that it is not a navigation and gets no page. */
export function pageResponds(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    get(address, { headers: { accept: 'text/html' } }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    }).once('error', () => resolve(false))
  })
}
