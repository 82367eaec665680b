import { list, number, plural } from '../format.ts'

export const ui = {
  close: 'Close',
  cancel: 'Cancel',
  copy: 'Copy',
  copied: 'Copied',
  tryAgain: 'Try again',
  wentWrong: 'That did not work',
  requestId: 'Request id',
  loading: 'Loading',
  locked: 'You may not see this',
  mayDo: {
    enter: 'to be signed in',
    share: 'to share',
    read: 'to read',
    contribute: 'to write and plan',
    approve: 'to publish and approve',
    administer: 'to manage the account',
  },
  lockedWhy: (ability: string, role: string) =>
    `It needs the permission ${ability}, which the role ${role} does not have.`,
  whoCan: (admins: readonly string[]) =>
    admins.length > 0
      ? `${list(admins.slice(0, 5))} can do it, or give you another role.`
      : 'An admin of the account can give you another role.',
  more: 'More',
  find: 'Find',
  any: 'Any',
  clear: (filter: string) => `Take off ${filter}`,
  chosen: (count: number) => `${number(count)} chosen`,
  remove: (name: string) => `Remove ${name}`,
  nothingFound: 'Nothing is called that.',
  found: (count: number) => plural(count, { one: '# found', other: '# found' }),
  required: 'required',
  show: 'Show',
  hide: 'Hide',
  select: (name: string) => `Select ${name}`,
  selectAll: 'Select all',
  sortBy: (column: string) => `Sort by ${column}`,
  notices: 'Notices',
  noNotices: 'Nothing was said yet.',
  dismiss: 'Dismiss',
  undo: 'Undo',
  progress: (part: number) => `${Math.round(part * 100)} %`,
  status: {
    planned: 'Scheduled',
    waiting: 'To approve',
    sent: 'Sent',
    failed: 'Failed',
    unsure: 'Unconfirmed',
    draft: 'Draft',
  },
}
