import { getProvisioning, updateProvisioning } from './provisioning.ts'

export const provisioningOperations = [getProvisioning, updateProvisioning]
