/** A package of package-lock.json, of version 3. */
export interface LockedPackageDetails {
  version?: string
  license?: string
  dev?: boolean
  devOptional?: boolean
  optional?: boolean
  link?: boolean
  hasInstallScript?: boolean
  integrity?: string
  /** The address from which npm installed it. */
  resolved?: string
}

/** A package that a deployment may contain. */
export interface ProductionPackage {
  name: string
  version: string
  license: string
  /** Only on some platforms. */
  isOptional: boolean
}

/** What is installed for production, by name and version; of a lock file by its paths. */
export function productionPackages(
  packages: Readonly<Record<string, LockedPackageDetails>>,
): ProductionPackage[] {
  const found = Object.entries(packages)
    .filter(
      ([path, { dev, devOptional, link }]) =>
        path.startsWith('node_modules/') && dev !== true && devOptional !== true && link !== true,
    )
    .map(([path, { version = '', license = 'unknown', optional }]) => ({
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version,
      license,
      isOptional: optional === true,
    }))
  return found.sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** A page with the license of each package. */
export function licensesPage(packages: readonly ProductionPackage[]): string {
  const rows = packages.map(({ name, version, license }) => `| \`${name}\` | ${version} | ${license} |`)
  return `# Licenses\n\n| package | version | license |\n| --- | --- | --- |\n${rows.join('\n')}\n`
}
