import { number, plural } from '../format.ts'

const dollars = (amount: number) => new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' }).format(amount)

export const networkApps = {
  title: 'Network apps',
  why: 'The apps that this installation has registered with networks. All accounts share them.',
  open: (network: string) => `Open ${network}`,
  states: { missing: 'Not set up', attention: 'Needs attention', ready: 'Ready', sandbox: 'Sandbox' },
  sandboxWhy:
    'The demo’s sandbox stands in for this network. Set the client ID and secret of a real app to replace it.',
  missing: 'Missing settings',
  problems: 'Needs attention',
  check: 'Check now',
  checks: 'Checks',
  checksWhy: 'Asks the network about the app and about the tokens of this account’s profiles.',
  checked: (problems: number, unknown: number) => {
    const found = plural(problems, { one: '# problem', other: '# problems' })
    const rest = unknown > 0 ? `, ${number(unknown)} could not be checked` : ''
    return `${problems === 0 ? 'No problems' : found} found${rest}.`
  },
  copy: (what: string) => `Copy ${what.charAt(0).toLowerCase()}${what.slice(1)}`,
  outcomes: { ok: 'OK', problem: 'Problem', unknown: 'Not known' },
  register: 'Register with the network',
  redirectUrl: 'Redirect URL',
  webhookUrl: 'Webhook URL',
  registration: {
    automatic: 'Chorus registers it when a profile is connected.',
    manual: 'Enter it in the app’s dashboard at the network.',
  },
  verifyToken: 'Verify token',
  verifyTokenElsewhere:
    'Several accounts share this installation, so only its operator can see the token, with “npx chorus networks”.',
  webhookFields: 'Webhook fields',
  lastChallenge: 'Last challenge answered',
  lastDelivery: 'Last valid delivery',
  noChallenge: 'This network sends none',
  never: 'Never',
  scopes: 'Scopes to request',
  inUse: 'In use',
  copyScopes: 'Copy scopes',
  review: 'Review',
  guide: 'Step by step',
  version: 'API version',
  versionEnds: {
    current: (day: string) => `Ends on ${day}`,
    ending: (day: string) => `Ends soon, on ${day}`,
    ended: (day: string) => `Ended on ${day}`,
  },
  versionAbout: (day: string) => `Ends about ${day}; no date is announced yet`,
  versionUndated: 'No end announced',
  versionUnknown: 'End unknown: Chorus does not know this version',
  versionSetting: (setting: string) => `Set with ${setting}`,
  source: 'Source',
  use: 'Use and cost',
  useNone: 'This network has no limit or price that the app shares.',
  callsToday: (calls: number) => `${number(calls)} calls today`,
  budgets: {
    cost: 'Cost',
    posts: 'Posts read',
    units: 'Units',
    uploads: 'Uploads',
    stats: 'Statistics',
    calls: 'Calls',
  },
  windows: {
    minute: 'this minute',
    quarterHour: 'this quarter of an hour',
    hour: 'this hour',
    day: 'today (UTC)',
    pacificDay: 'today (Pacific time)',
    month: 'this month (UTC)',
  },
  amount: (value: number, unit: string) => (unit === 'dollars' ? dollars(value) : number(value)),
  used: (used: string, limit: string) => (limit ? `${used} of ${limit}` : `${used}, no limit set`),
  forecast: (amount: string, when: string) => `Forecast ${amount} by ${when}`,
  limitedBy: (setting: string) => `Limit set with ${setting}`,
  waits: (until: string) => `Reading waits until ${until}`,
}
