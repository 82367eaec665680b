import type { CrmType, Facts } from './crm.ts'
import { hubspot } from './hubspot.ts'
import { salesforce } from './salesforce.ts'
import { sandboxCrm } from './sandbox-crm.ts'

/** Supported systems; all of them take cases. */
export const crmTypes: readonly CrmType[] = [salesforce, hubspot, sandboxCrm]

/** Other type names of the contract, which aren't supported. */
const otherTypes = ['cd', 'ga', 'pardot', 'netresults', 'mautic', 'facebook'] as const

export const integrationTypes: readonly string[] = [...crmTypes.map(({ type }) => type), ...otherTypes]

export const crmTypeOf = (type: string): CrmType | undefined => crmTypes.find((one) => one.type === type)

/** Missing required settings. */
export const missingOf = ({ required }: CrmType, given: Facts): string[] => required.filter((name) => !given[name])
