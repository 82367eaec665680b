import { demoAccounts } from '#areas/account/account.demo.ts'
import { enterAs } from '#areas/account/session/sign-in.ts'
import { forbidden, missing } from '#kernel/errors.ts'
import type { Page } from '#kernel/http/route/page.ts'
import { begun, textOf } from '#kernel/http/route/page.ts'
import type { Installation } from '#kernel/installation.ts'
import type { Settings } from './settings/settings.ts'

/** Whether users of this machine may enter the demo without a password. */
export const offersDemo = ({ demo, host }: Settings) => demo && isLoopback(host)

export const isLoopback = (host: string) =>
  host === 'localhost' || host === '::1' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)

/** The demo's entry on the sign-in screen: one user for each role. */
export const demoPages = (installation: Installation): Page[] => [
  {
    method: 'POST',
    path: '/app/enter-demo',
    ownForms: true,
    async run(visit) {
      if (!visit.isFromHere) throw forbidden(hereOnly)
      const [account] = demoAccounts
      const user = account?.users.find(({ role }) => role === textOf(visit, 'role'))
      if (!account || !user) throw missing('User')
      return begun(visit, await enterAs(installation, visit.visitor, { accountId: account.id, userId: user.id }))
    },
  },
]

const hereOnly = 'The demo lets people in without a password on the machine of the service only.'
