import { Button } from '../../../ui/inputs/button.tsx'
import { Select, Switch } from '../../../ui/inputs/field.tsx'
import { Fact } from '../../../ui/layers/panel.tsx'
import { say } from '../../../ui/layers/toasts.tsx'
import { Problem, Waiting } from '../../../ui/layout/states.tsx'
import { type Body, call, type Sent } from '../../../wire/call.ts'
import { readAgain, told, useCall } from '../../../wire/queries.ts'
import { words } from '../../../words/words.ts'
import { Group } from './part.tsx'
import { SavedField } from './saved-field.tsx'

type Settings = Body<'GET /link-settings'>['LinkSettings']

const utms = ['Source', 'Medium', 'Campaign', 'Term', 'Content'] as const
const nameOf = (utm: (typeof utms)[number]) => `utm${utm}` as const

const save = async (change: Sent<'POST /link-settings'>) => {
  await call('POST /link-settings', change)
  readAgain('GET /link-settings')
}

const saveOrSay = (change: Sent<'POST /link-settings'>) =>
  void save(change).catch((error) => say(told(error).sentence, { kind: 'problem' }))

interface LinkSettingsProps {
  domains: readonly { Id: string; Name: string }[]
  mayChange: boolean
}

/** What new short links are made with; links that were made before stay as they are. */
export function LinkSettings({ domains, mayChange }: LinkSettingsProps) {
  const { data, error, refetch } = useCall('GET /link-settings', {})
  const settings = data?.LinkSettings
  return (
    <Group title={words.settings.newLinks} why={words.settings.newLinksWhy}>
      {error && <Problem {...told(error)} onAgain={() => void refetch()} />}
      {!settings && !error && <Waiting />}
      {settings &&
        (mayChange ? (
          <Changing settings={settings} domains={domains} />
        ) : (
          <Reading settings={settings} domains={domains} />
        ))}
    </Group>
  )
}

interface Shown {
  settings: Settings
  domains: LinkSettingsProps['domains']
}

const Changing = ({ settings, domains }: Shown) => (
  <div className="settings-fields">
    <Select
      label={words.settings.linkDomain}
      value={settings.CnameId ?? ''}
      options={[
        { value: '', label: words.settings.ownHost },
        ...domains.map(({ Id, Name }) => ({ value: Id, label: Name })),
      ]}
      onChange={(cnameId) => saveOrSay({ cnameId })}
    />
    {utms.map((utm) => {
      const value = settings[`Utm${utm}`]
      return (
        <SavedField
          key={utm}
          label={`utm_${utm.toLowerCase()}`}
          value={value ?? ''}
          placeholder={value === null ? words.settings.standard : words.settings.leftOut}
          dir="auto"
          onSave={(text) => save({ [nameOf(utm)]: text })}
          after={
            value !== null && (
              <Button kind="bare" onClick={() => saveOrSay({ inherit: [nameOf(utm)] })}>
                {words.settings.standard}
                <span className="unseen"> utm_{utm.toLowerCase()}</span>
              </Button>
            )
          }
        />
      )
    })}
    <SavedField
      label={words.settings.clickParameter}
      hint={words.settings.clickParameterWhy}
      value={settings.ClickParameter}
      maxLength={40}
      onSave={(clickParameter) => save({ clickParameter })}
    />
    <Switch
      label={words.settings.doNotTrack}
      hint={words.settings.doNotTrackWhy}
      checked={settings.RespectsDoNotTrack === 1}
      onChange={(respectsDoNotTrack) => saveOrSay({ respectsDoNotTrack })}
    />
  </div>
)

const Reading = ({ settings, domains }: Shown) => (
  <dl className="settings-facts">
    <Fact name={words.settings.linkDomain}>
      {domains.find(({ Id }) => Id === settings.CnameId)?.Name ?? words.settings.ownHost}
    </Fact>
    {utms.map((utm) => (
      <Fact key={utm} name={`utm_${utm.toLowerCase()}`}>
        <span dir="auto">{settings[`Utm${utm}`] ?? words.settings.standard}</span>
      </Fact>
    ))}
    <Fact name={words.settings.doNotTrack}>
      {settings.RespectsDoNotTrack ? words.shell.lettersOn : words.shell.lettersOff}
    </Fact>
  </dl>
)
