import { type FormEvent, useState } from 'react'
import { Button } from '../../../ui/inputs/button.tsx'
import { Checkbox, PasswordField, Select } from '../../../ui/inputs/field.tsx'
import { Problem } from '../../../ui/layout/states.tsx'
import { type Body, call } from '../../../wire/call.ts'
import { told } from '../../../wire/queries.ts'
import { offersDemo } from '../../../wire/session.ts'
import { words } from '../../../words/words.ts'
import { Doorway, EmailField, enter } from './doorway.tsx'

type Accounts = Body<'POST /session'>['Accounts']

/** With e-mail and password; where they fit several accounts, one of these is chosen. */
export function SignIn({ next }: { next: string }) {
  const w = words.entering
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [stays, setStays] = useState(false)
  const [accounts, setAccounts] = useState<Accounts>([])
  const [account, setAccount] = useState('')
  const [problem, setProblem] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  const signIn = async (event: FormEvent) => {
    event.preventDefault()
    setIsBusy(true)
    setProblem(undefined)
    try {
      const { UserId, Accounts } = await call('POST /session', { email, password, stays, ...(account && { account }) })
      if (UserId) return enter(next)
      setAccounts(Accounts)
      setAccount(Accounts[0]?.Id ?? '')
    } catch (error) {
      setProblem(told(error).sentence)
    }
    setIsBusy(false)
  }
  return (
    <Doorway title={w.signIn}>
      <form className="doorway-form" onSubmit={(event) => void signIn(event)}>
        {problem && <Problem sentence={problem} />}
        <EmailField value={email} onChange={setEmail} />
        <PasswordField
          label={w.password}
          name="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={setPassword}
        />
        {accounts.length > 0 && (
          <Select
            label={w.account}
            hint={w.severalAccounts}
            value={account}
            options={accounts.map(({ Id, Name }) => ({ value: Id, label: Name }))}
            onChange={setAccount}
          />
        )}
        <Checkbox label={w.stays} name="stays" checked={stays} onChange={setStays} />
        <Button kind="main" type="submit" busy={isBusy}>
          {w.signIn}
        </Button>
        <a href="/app/reset">{w.forgot}</a>
      </form>
      {offersDemo() && <Demo />}
    </Doorway>
  )
}

/** While the demo is on, on its own machine: as one of its users, without a password. A plain form, which leads to the console. */
function Demo() {
  const w = words.entering
  const roles = Object.keys(w.roles) as (keyof typeof w.roles)[]
  return (
    <form className="doorway-demo" method="post" action="/app/enter-demo">
      <h2>{w.demo}</h2>
      <p className="quiet">{w.demoWhy}</p>
      <div className="doorway-roles">
        {roles.map((role) => (
          <button key={role} type="submit" className="button" name="role" value={role}>
            <span className="unseen">{w.enterAs} </span>
            <b>{w.roles[role]}</b>
            <small>{w.rolesMay[role]}</small>
          </button>
        ))}
      </div>
    </form>
  )
}
