import type { CrmType, Facts } from './crm.ts'
import { hubspot } from './hubspot.ts'
import { salesforce } from './salesforce.ts'
import { sandboxCrm } from './sandbox-crm.ts'

/** Systems that the service can talk to; all of them take cases. */
export const crmTypes: readonly CrmType[] = [salesforce, hubspot, sandboxCrm]

/** Names that the interface has for others, which nothing can be asked of. */
const otherTypes = ['cd', 'ga', 'pardot', 'netresults', 'mautic', 'facebook'] as const

export const integrationTypes: readonly string[] = [...crmTypes.map(({ type }) => type), ...otherTypes]

export const crmTypeOf = (type: string): CrmType | undefined => crmTypes.find((one) => one.type === type)

/** What still has to be given before it can be talked to. */
export const missingOf = ({ required }: CrmType, given: Facts): string[] => required.filter((name) => !given[name])
