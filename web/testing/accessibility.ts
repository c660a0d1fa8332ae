import { cdp } from 'vitest/browser'

/**
 * The accessible names of all elements of a role, in document order. Unlike a locator, it leaves out what a modal dialog
 * makes inert.
 */
export async function accessibleNames(role: string): Promise<string[]> {
  const session = cdp()
  const { frameTree } = await session.send('Page.getFrameTree')
  const frame = frameTree.childFrames?.find(({ frame: { url } }) => url === location.href)?.frame
  if (frame === undefined) throw new Error('The test does not run in its own frame')
  const { nodes } = await session.send('Accessibility.getFullAXTree', { frameId: frame.id })
  return nodes
    .filter((node) => !node.ignored && node.role?.value === role)
    .map((node) => String(node.name?.value ?? ''))
}
