import type { PluginOwner } from '#contract/runtime-api/plugins.ts'

/** The owner of a plugin as the runtime API returns it; null if none is registered. */
export function ownerOf({
  owner_team: team,
  owner_contact: contact,
}: {
  owner_team: string | null
  owner_contact: string | null
}): PluginOwner | null {
  return team === null ? null : { team, ...(contact !== null && { contact }) }
}
