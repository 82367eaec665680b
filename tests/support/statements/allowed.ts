/** What statements may look at all accounts for, as `acrossAccounts` says it in them, and why. */
export const allowed: { readonly [purpose: string]: string } = {
  'waiting clicks':
    'The metrics of the installation tell of all accounts together; a few times a minute, reading alone.',
  'profiles with something due': 'The metrics, as above.',
}

/** Until work is taken account by account. */
export const untilTakenByAccount = [
  'src/kernel/agenda/',
  'src/kernel/jobs/',
  'src/kernel/lanes/',
  'src/areas/sending/',
  'src/areas/webhooks/delivery/',
  'src/areas/links/click/waiting-clicks.ts',
]
