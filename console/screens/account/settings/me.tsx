import { useState } from 'react'
import { switchLetters, useLetters } from '../../../shell/keys.ts'
import { choose, useDensity, useTheme } from '../../../shell/theme.ts'
import { Button } from '../../../ui/inputs/button.tsx'
import { Combobox } from '../../../ui/inputs/combobox.tsx'
import { Checkbox, PasswordField, Switch, Username } from '../../../ui/inputs/field.tsx'
import { Segments } from '../../../ui/inputs/segments.tsx'
import { Fact } from '../../../ui/layers/panel.tsx'
import { say } from '../../../ui/layers/toasts.tsx'
import { Problem, Waiting } from '../../../ui/layout/states.tsx'
import { call, type Sent } from '../../../wire/call.ts'
import { readAgain, told, useCall, useChange } from '../../../wire/queries.ts'
import { useMay, useWho } from '../../../wire/session.ts'
import { words } from '../../../words/words.ts'
import { zones } from '../zones.ts'
import { CalendarAddress } from './calendar-address.tsx'
import { OwnKeys } from './own-keys.tsx'
import { Group, Part } from './part.tsx'
import { SavedField } from './saved-field.tsx'

/** What is about whoever looks: who they are, how this browser shows things, which mails they get. */
export const Me = () => (
  <Part
    calls={[
      'POST /app/api/me',
      'GET /v2/notification',
      'POST /v2/notification',
      'POST /app/api/password',
      'POST /app/api/calendar-key',
    ]}
  >
    <Person />
    <ThisBrowser />
    <OwnKeys />
    <Mails />
    <Password />
    <CalendarAddress />
  </Part>
)

const changeMe = async (change: Sent<'POST /me'>) => {
  await call('POST /me', change)
  readAgain('GET /session', 'v2 GET /user/{id}', 'GET /user')
}

function Person() {
  const { User } = useWho()
  const { data, error, refetch } = useCall('v2 GET /user/{id}', { id: User.Id })
  const zone = (timezone: string) =>
    changeMe({ timezone }).then(
      () => say(words.settings.zoneChanged(timezone)),
      (failure) => say(told(failure).sentence, { kind: 'problem' }),
    )
  return (
    <Group title={words.settings.person}>
      {error && <Problem {...told(error)} onAgain={() => void refetch()} />}
      {!data && !error && <Waiting />}
      {data && (
        <div className="settings-fields">
          <SavedField
            label={words.settings.firstName}
            value={data.User.FirstName}
            maxLength={64}
            dir="auto"
            autoComplete="given-name"
            onSave={(firstName) => changeMe({ firstName })}
          />
          <SavedField
            label={words.settings.lastName}
            value={data.User.LastName}
            maxLength={64}
            dir="auto"
            autoComplete="family-name"
            onSave={(lastName) => changeMe({ lastName })}
          />
          <Combobox
            label={words.settings.zone}
            hint={words.settings.zoneWhy}
            options={zones()}
            value={User.Timezone}
            onChange={(timezone) => void zone(timezone)}
          />
          <dl className="settings-facts">
            <Fact name={words.settings.email}>{User.Email}</Fact>
            <Fact name={words.settings.role}>{words.shell.role[User.Role]}</Fact>
            <Fact name={words.settings.language}>{words.settings.languageIs}</Fact>
          </dl>
        </div>
      )}
    </Group>
  )
}

const optionsOf = <Value extends string>(names: { [value in Value]: string }) =>
  Object.entries(names).map(([value, label]) => ({ value: value as Value, label: label as string }))

function ThisBrowser() {
  return (
    <Group title={words.settings.browser} why={words.settings.browserWhy}>
      <div className="settings-fields">
        <div className="frame">
          <span className="frame-label">{words.shell.theme}</span>
          <Segments
            label={words.shell.theme}
            value={useTheme()}
            options={optionsOf(words.shell.themes)}
            onChange={(value) => choose('theme', value)}
          />
        </div>
        <div className="frame">
          <span className="frame-label">{words.shell.density}</span>
          <Segments
            label={words.shell.density}
            value={useDensity()}
            options={optionsOf(words.shell.densities)}
            onChange={(value) => choose('density', value)}
          />
        </div>
        <Switch
          label={words.shell.letters}
          hint={words.settings.lettersWhy}
          checked={useLetters()}
          onChange={switchLetters}
        />
      </div>
    </Group>
  )
}

/** Whoever may only read sees which they get. */
function Mails() {
  const mayChange = useMay()('contribute')
  const { data, error, refetch } = useCall('v2 GET /notification', {})
  const change = useChange('v2 POST /notification', {
    stale: ['v2 GET /notification'],
    refused: ({ message }) => say(message, { kind: 'problem' }),
  })
  const names = Object.keys(words.settings.mails) as (keyof typeof words.settings.mails)[]
  const chosen = data && { ...data.Items, ...(change.isPending && change.variables) }
  return (
    <Group title={words.settings.mailsTitle} why={mayChange ? words.settings.mailsWhy : words.settings.mailsRead}>
      {error && <Problem {...told(error)} onAgain={() => void refetch()} />}
      {!chosen && !error && <Waiting />}
      {chosen &&
        names.map((name) =>
          mayChange ? (
            <Switch
              key={name}
              label={words.settings.mails[name]}
              checked={Boolean(chosen[name])}
              onChange={(isOn) => change.mutate({ [name]: isOn })}
            />
          ) : (
            <p key={name}>
              {words.settings.mails[name]}: {chosen[name] ? words.shell.lettersOn : words.shell.lettersOff}
            </p>
          ),
        )}
    </Group>
  )
}

function Password() {
  const { User } = useWho()
  const [present, setPresent] = useState('')
  const [password, setPassword] = useState('')
  const [revokeKeys, setRevokeKeys] = useState(false)
  const [problem, setProblem] = useState<unknown>()
  const [isBusy, setIsBusy] = useState(false)
  const change = async () => {
    setIsBusy(true)
    try {
      await call('POST /password', { present, password, revokeKeys })
      setPresent('')
      setPassword('')
      setRevokeKeys(false)
      setProblem(undefined)
      readAgain('GET /sessions', 'GET /api-key', 'GET /calendar-key')
      say(revokeKeys ? words.settings.keysRevoked : words.settings.passwordChanged)
    } catch (error) {
      setProblem(error)
    }
    setIsBusy(false)
  }
  return (
    <Group title={words.settings.password} why={words.settings.passwordWhy}>
      <form
        className="settings-fields"
        onSubmit={(event) => {
          event.preventDefault()
          if (!isBusy) void change()
        }}
      >
        {problem !== undefined && <Problem {...told(problem)} />}
        <Username email={User.Email} />
        <PasswordField
          label={words.settings.presentPassword}
          name="present"
          autoComplete="current-password"
          required
          value={present}
          onChange={setPresent}
        />
        <PasswordField
          label={words.settings.newPassword}
          name="password"
          autoComplete="new-password"
          hint={words.settings.newPasswordWhy}
          required
          minLength={8}
          maxLength={256}
          value={password}
          onChange={setPassword}
        />
        <Checkbox
          label={words.settings.revokeKeys}
          hint={words.settings.revokeKeysHint}
          name="revokeKeys"
          checked={revokeKeys}
          onChange={setRevokeKeys}
        />
        <div>
          <Button type="submit" busy={isBusy}>
            {words.settings.changePassword}
          </Button>
        </div>
      </form>
    </Group>
  )
}
