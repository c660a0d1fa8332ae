import { runExample } from '../run-example.ts'
import { createTenantProvisioner } from './tenant-provisioner.ts'

await runExample({ pluginId: 'tenant-provisioner' }, createTenantProvisioner)
