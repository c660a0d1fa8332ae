import { Segments } from './Id.tsx'

/** A resource locator: bundle environment, bundle, kind, name; the name is emphasized. */
export function LocatorText({ locator }: { locator: string }) {
  return <Segments parts={locator.split('/')} />
}
