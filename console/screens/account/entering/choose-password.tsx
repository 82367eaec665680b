import { type FormEvent, useEffect, useState } from 'react'
import { Button } from '../../../ui/inputs/button.tsx'
import { Checkbox, Field, PasswordField, Username } from '../../../ui/inputs/field.tsx'
import { Problem } from '../../../ui/layout/states.tsx'
import { type Body, call } from '../../../wire/call.ts'
import { told } from '../../../wire/queries.ts'
import { words } from '../../../words/words.ts'
import { Doorway, enter } from './doorway.tsx'

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
