import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { type Body, call } from '@/api/call.ts'
import { told } from '@/api/queries.ts'
import { offersDemo } from '@/api/session.ts'
import { words } from '@/i18n/texts.ts'
import { useAddress } from '@/routes/router.ts'
import { Button } from '@/ui/button.tsx'
import { Checkbox, Field, PasswordField, Select, Username } from '@/ui/field.tsx'
import { Problem } from '@/ui/states.tsx'

/** The way in: signing in, an invitation, a forgotten password. */
export function Entering() {
  const { path, search } = useAddress()
  const token = search.get('token') ?? ''
  if (path === '/app/invitation') return <ChoosePassword purpose="invitation" token={token} />
  if (path === '/app/reset') return token ? <ChoosePassword purpose="reset" token={token} /> : <ForgottenPassword />
  return <SignIn next={search.get('next') ?? ''} />
}

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

/** With the link that was mailed: a new password, and for somebody new their name too. Then they are in. */
export function ChoosePassword({ purpose, token }: { purpose: 'reset' | 'invitation'; token: string }) {
  const w = words.entering
  const isNew = purpose === 'invitation'
  const [firstName, setFirstName] = useState('')
  const [lastName, setLastName] = useState('')
  const [password, setPassword] = useState('')
  const [revokeKeys, setRevokeKeys] = useState(true)
  const [ends, setEnds] = useState<Body<'POST /password-reset/preview'>>()
  const [problem, setProblem] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  useEffect(() => {
    if (isNew) return
    call('POST /password-reset/preview', { token }).then(setEnds, (error) => setProblem(told(error).sentence))
  }, [isNew, token])
  const choose = async (event: FormEvent) => {
    event.preventDefault()
    setIsBusy(true)
    setProblem(undefined)
    try {
      if (isNew) await call('POST /invitation/choice', { token, password, firstName, lastName })
      else await call('POST /password-reset/choice', { token, password, revokeKeys })
      return enter()
    } catch (error) {
      setProblem(told(error).sentence)
    }
    setIsBusy(false)
  }
  return (
    <Doorway title={isNew ? w.welcome : w.reset} {...(isNew && { why: w.welcomeWhy })}>
      <form className="doorway-form" onSubmit={(event) => void choose(event)}>
        {problem && <Problem sentence={problem} />}
        {isNew && (
          <div className="doorway-names">
            <Field
              label={w.firstName}
              name="firstName"
              autoComplete="given-name"
              maxLength={64}
              value={firstName}
              onChange={setFirstName}
              autoFocus
            />
            <Field
              label={w.lastName}
              name="lastName"
              autoComplete="family-name"
              maxLength={64}
              value={lastName}
              onChange={setLastName}
            />
          </div>
        )}
        <Username />
        <PasswordField
          label={w.newPassword}
          hint={w.passwordHint}
          name="password"
          autoComplete="new-password"
          required
          minLength={8}
          maxLength={256}
          value={password}
          onChange={setPassword}
        />
        {ends && <p className="quiet">{w.resetEnds(Boolean(ends.HasCalendarLink))}</p>}
        {ends && ends.ApiKeys.length > 0 && (
          <Checkbox
            label={w.revokeKeys}
            hint={w.revokeKeysHint(ends.ApiKeys.map(({ Name }) => Name))}
            name="revokeKeys"
            checked={revokeKeys}
            onChange={setRevokeKeys}
          />
        )}
        <Button kind="main" type="submit" busy={isBusy}>
          {isNew ? w.begin : w.saveAndSignIn}
        </Button>
        <a href="/app/sign-in">{w.back}</a>
      </form>
    </Doorway>
  )
}

/** A link by mail, for who has forgotten the password. */
export function ForgottenPassword() {
  const w = words.entering
  const [email, setEmail] = useState('')
  const [isMailed, setIsMailed] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  const ask = async (event: FormEvent) => {
    event.preventDefault()
    setIsBusy(true)
    setProblem(undefined)
    try {
      await call('POST /password-reset', { email })
      setIsMailed(true)
    } catch (error) {
      setProblem(told(error).sentence)
    }
    setIsBusy(false)
  }
  if (isMailed)
    return (
      <Doorway title={w.mailed} why={w.mailedWhy}>
        <a href="/app/sign-in">{w.back}</a>
      </Doorway>
    )
  return (
    <Doorway title={w.reset} why={w.resetWhy}>
      <form className="doorway-form" onSubmit={(event) => void ask(event)}>
        {problem && <Problem sentence={problem} />}
        <EmailField value={email} onChange={setEmail} />
        <Button kind="main" type="submit" busy={isBusy}>
          {w.sendLink}
        </Button>
        <a href="/app/sign-in">{w.back}</a>
      </form>
    </Doorway>
  )
}

/** What all ways in look like. */
export function Doorway({ title, why, children }: { title: string; why?: string; children: ReactNode }) {
  document.title = `${title} · ${words.shell.product}`
  return (
    <main className="doorway">
      <div className="doorway-card">
        <svg className="doorway-sign" viewBox="0 0 24 24" aria-hidden="true">
          <path d="M5 9v6M9.7 5v14M14.3 8v8M19 10.5v3" />
        </svg>
        <h1>{title}</h1>
        {why && <p className="quiet">{why}</p>}
        {children}
      </div>
    </main>
  )
}

export const EmailField = ({ value, onChange }: { value: string; onChange: (value: string) => void }) => (
  <Field
    label={words.entering.email}
    name="email"
    type="email"
    autoComplete="username"
    required
    value={value}
    onChange={onChange}
    autoFocus
  />
)

/** Everything is read anew by whoever is signed in now. Only addresses of the console are gone to. */
export function enter(next = ''): void {
  const { origin, pathname, search } = new URL(next || '/app', location.origin)
  location.assign(origin === location.origin && pathname.startsWith('/app') ? pathname + search : '/app')
}
