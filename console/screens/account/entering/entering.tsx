import { useAddress } from '../../../shell/router.ts'
import { ChoosePassword } from './choose-password.tsx'
import { ForgottenPassword } from './forgotten-password.tsx'
import { SignIn } from './sign-in.tsx'

/** The way in: signing in, an invitation, a forgotten password. */
export function Entering() {
  const { path, search } = useAddress()
  const token = search.get('token') ?? ''
  if (path === '/app/invitation') return <ChoosePassword purpose="invitation" token={token} />
  if (path === '/app/reset') return token ? <ChoosePassword purpose="reset" token={token} /> : <ForgottenPassword />
  return <SignIn next={search.get('next') ?? ''} />
}
