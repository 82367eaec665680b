import { type FormEvent, type ReactNode, useEffect, useState } from 'react'
import { type Body, call } from '@/api/call.ts'
import { errorDetails } from '@/api/queries.ts'
import { offersDemo } from '@/api/session.ts'
import { texts } from '@/i18n/texts.ts'
import { useLocation } from '@/routes/router.ts'
import * as buttonStyles from '@/ui/button.module.css'
import { Button } from '@/ui/button.tsx'
import { Checkbox, Field, HiddenUsername, PasswordField, Select } from '@/ui/field.tsx'
import { ErrorMessage } from '@/ui/states.tsx'
import * as styles from './auth.module.css'

/** Sign-in, invitations and password reset. */
export function Auth() {
  const { path, search } = useLocation()
  const token = search.get('token') ?? ''
  if (path === '/app/invitation') return <ChoosePassword purpose="invitation" token={token} />
  if (path === '/app/reset') return token ? <ChoosePassword purpose="reset" token={token} /> : <ForgottenPassword />
  return <SignIn next={search.get('next') ?? ''} />
}

type Accounts = Body<'POST /session'>['Accounts']

/** Sign-in with email and password. If they match several accounts, the user chooses one. */
export function SignIn({ next }: { next: string }) {
  const t = texts.auth
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [staySignedIn, setStaySignedIn] = useState(false)
  const [accounts, setAccounts] = useState<Accounts>([])
  const [account, setAccount] = useState('')
  const [problem, setProblem] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  const signIn = async (event: FormEvent) => {
    event.preventDefault()
    setIsBusy(true)
    setProblem(undefined)
    try {
      const { UserId, Accounts } = await call('POST /session', {
        email,
        password,
        stays: staySignedIn,
        ...(account && { account }),
      })
      if (UserId) return continueTo(next)
      setAccounts(Accounts)
      setAccount(Accounts[0]?.Id ?? '')
    } catch (error) {
      setProblem(errorDetails(error).message)
    }
    setIsBusy(false)
  }
  return (
    <AuthCard title={t.signIn}>
      <form className={styles.form} onSubmit={(event) => void signIn(event)}>
        {problem && <ErrorMessage message={problem} />}
        <EmailField value={email} onChange={setEmail} />
        <PasswordField
          label={t.password}
          name="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={setPassword}
        />
        {accounts.length > 0 && (
          <Select
            label={t.account}
            hint={t.severalAccounts}
            value={account}
            options={accounts.map(({ Id, Name }) => ({ value: Id, label: Name }))}
            onChange={setAccount}
          />
        )}
        <Checkbox label={t.stays} name="stays" checked={staySignedIn} onChange={setStaySignedIn} />
        <Button variant="primary" type="submit" busy={isBusy}>
          {t.signIn}
        </Button>
        <a href="/app/reset">{t.forgot}</a>
      </form>
      {offersDemo() && <Demo />}
    </AuthCard>
  )
}

/** Demo mode, on the local machine only: sign in as a demo user without a password. A plain form that redirects to the console. */
function Demo() {
  const t = texts.auth
  const roles = Object.keys(t.roles) as (keyof typeof t.roles)[]
  return (
    <form className={styles.demo} method="post" action="/app/enter-demo">
      <h2>{t.demo}</h2>
      <p className="muted">{t.demoWhy}</p>
      <div className={styles.roles}>
        {roles.map((role) => (
          <button key={role} type="submit" data-ui="button" className={buttonStyles.button} name="role" value={role}>
            <span className="visually-hidden">{t.enterAs} </span>
            <b>{t.roles[role]}</b>
            <small>{t.rolesMay[role]}</small>
          </button>
        ))}
      </div>
    </form>
  )
}

/** Sets a new password from an emailed link; invited users also enter their name. Signs the user in afterwards. */
export function ChoosePassword({ purpose, token }: { purpose: 'reset' | 'invitation'; token: string }) {
  const t = texts.auth
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
    call('POST /password-reset/preview', { token }).then(setEnds, (error) => setProblem(errorDetails(error).message))
  }, [isNew, token])
  const choose = async (event: FormEvent) => {
    event.preventDefault()
    setIsBusy(true)
    setProblem(undefined)
    try {
      if (isNew) await call('POST /invitation/choice', { token, password, firstName, lastName })
      else await call('POST /password-reset/choice', { token, password, revokeKeys })
      return continueTo()
    } catch (error) {
      setProblem(errorDetails(error).message)
    }
    setIsBusy(false)
  }
  return (
    <AuthCard title={isNew ? t.welcome : t.reset} {...(isNew && { description: t.welcomeWhy })}>
      <form className={styles.form} onSubmit={(event) => void choose(event)}>
        {problem && <ErrorMessage message={problem} />}
        {isNew && (
          <div className={styles.names}>
            <Field
              label={t.firstName}
              name="firstName"
              autoComplete="given-name"
              maxLength={64}
              value={firstName}
              onChange={setFirstName}
              autoFocus
            />
            <Field
              label={t.lastName}
              name="lastName"
              autoComplete="family-name"
              maxLength={64}
              value={lastName}
              onChange={setLastName}
            />
          </div>
        )}
        <HiddenUsername />
        <PasswordField
          label={t.newPassword}
          hint={t.passwordHint}
          name="password"
          autoComplete="new-password"
          required
          minLength={8}
          maxLength={256}
          value={password}
          onChange={setPassword}
        />
        {ends && <p className="muted">{t.resetEnds(Boolean(ends.HasCalendarLink))}</p>}
        {ends && ends.ApiKeys.length > 0 && (
          <Checkbox
            label={t.revokeKeys}
            hint={t.revokeKeysHint(ends.ApiKeys.map(({ Name }) => Name))}
            name="revokeKeys"
            checked={revokeKeys}
            onChange={setRevokeKeys}
          />
        )}
        <Button variant="primary" type="submit" busy={isBusy}>
          {isNew ? t.begin : t.saveAndSignIn}
        </Button>
        <a href="/app/sign-in">{t.back}</a>
      </form>
    </AuthCard>
  )
}

export function ForgottenPassword() {
  const t = texts.auth
  const [email, setEmail] = useState('')
  const [isSent, setIsSent] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [isBusy, setIsBusy] = useState(false)
  const requestReset = async (event: FormEvent) => {
    event.preventDefault()
    setIsBusy(true)
    setProblem(undefined)
    try {
      await call('POST /password-reset', { email })
      setIsSent(true)
    } catch (error) {
      setProblem(errorDetails(error).message)
    }
    setIsBusy(false)
  }
  if (isSent)
    return (
      <AuthCard title={t.mailed} description={t.mailedWhy}>
        <a href="/app/sign-in">{t.back}</a>
      </AuthCard>
    )
  return (
    <AuthCard title={t.reset} description={t.resetWhy}>
      <form className={styles.form} onSubmit={(event) => void requestReset(event)}>
        {problem && <ErrorMessage message={problem} />}
        <EmailField value={email} onChange={setEmail} />
        <Button variant="primary" type="submit" busy={isBusy}>
          {t.sendLink}
        </Button>
        <a href="/app/sign-in">{t.back}</a>
      </form>
    </AuthCard>
  )
}

/** Shared layout of all authentication screens. */
export function AuthCard({
  title,
  description,
  children,
}: {
  title: string
  description?: string
  children: ReactNode
}) {
  document.title = `${title} · ${texts.shell.product}`
  return (
    <main className={styles.auth}>
      <div className={styles.card}>
        <svg className={styles.logo} viewBox="0 0 24 24" aria-hidden="true">
          <path d="M5 9v6M9.7 5v14M14.3 8v8M19 10.5v3" />
        </svg>
        <h1>{title}</h1>
        {description && <p className="muted">{description}</p>}
        {children}
      </div>
    </main>
  )
}

export const EmailField = ({ value, onChange }: { value: string; onChange: (value: string) => void }) => (
  <Field
    label={texts.auth.email}
    name="email"
    type="email"
    autoComplete="username"
    required
    value={value}
    onChange={onChange}
    autoFocus
  />
)

/** Loads the page again for the signed-in user. Only URLs of the console are followed, to prevent open redirects. */
export function continueTo(next = ''): void {
  const { origin, pathname, search } = new URL(next || '/app', location.origin)
  location.assign(origin === location.origin && pathname.startsWith('/app') ? pathname + search : '/app')
}
