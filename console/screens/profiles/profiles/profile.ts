import type { Body } from '../../../wire/call.ts'

export type Health = Body<'GET /credential-health'>['Items'][number]

export const states = ['broken', 'ending', 'no-app', 'fine', 'listed'] as const

/** What the signs of posts mean, lent to profiles. */
export const statusOf = {
  fine: 'sent',
  ending: 'waiting',
  broken: 'failed',
  'no-app': 'unsure',
  listed: 'draft',
} as const

/** Whether somebody has to do something about it. */
export const needsSomebody = ({ State }: Pick<Health, 'State'>) => State !== 'fine' && State !== 'listed'

export const pictureOf = (id: string) => `/app/api/picture/profile/${encodeURIComponent(id)}`

/** Where a browser goes to connect a profile again. */
export const connectPath = ({ Id, Network }: Pick<Health, 'Id' | 'Network'>) =>
  `/app/connect/${Network}?console=1&credential=${encodeURIComponent(Id)}`
