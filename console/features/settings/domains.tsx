import { useState } from 'react'
import { type Body, call, type Sent } from '@/api/call.ts'
import { readAgain, told, useCall, useChange } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { ago } from '@/i18n/format.ts'
import { words } from '@/i18n/texts.ts'
import { Button } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { Field, Select, Switch } from '@/ui/field.tsx'
import { Fact } from '@/ui/layout.tsx'
import { Problem, Waiting } from '@/ui/states.tsx'
import { say } from '@/ui/toasts.tsx'
import { Group, Part, Row, SavedField } from './section.tsx'

type Cname = Body<'v2 GET /cname'>['Items'][number]
const stale = ['v2 GET /cname', 'GET /link-settings'] as const

/** The domains that short links stand under, and what new links are made with. */
export function Domains() {
  const mayChange = useMay()('administer')
  const { data, error, refetch } = useCall('v2 GET /cname', {})
  const [removed, setRemoved] = useState<Cname>()
  const look = useChange('v2 POST /cname/{id}', {
    stale,
    done: ({ Cname: { Name } }) => say(words.settings.domainFine(Name)),
    refused: ({ message }) => say(message, { kind: 'problem' }),
  })
  return (
    <Part
      calls={[
        'GET /v2/cname',
        'POST /v2/cname',
        'POST /v2/cname/{id}',
        'DELETE /v2/cname/{id}',
        'POST /app/api/link-settings',
      ]}
    >
      <Group title={words.settings.section.domains} why={words.settings.domainsWhy}>
        {mayChange && <Adding />}
        {error && <Problem {...told(error)} onAgain={() => void refetch()} />}
        {!data && !error && <Waiting />}
        {data?.Items.length === 0 && <p className="quiet">{words.settings.noDomains}</p>}
        <ul className="settings-rows">
          {data?.Items.map((cname) => (
            <Row key={cname.Id} title={cname.Name} about={words.settings.addedAgo(ago(cname.Created, ''))}>
              {mayChange && (
                <>
                  <Button
                    icon="again"
                    busy={look.isPending && look.variables.id === cname.Id}
                    onClick={() => look.mutate({ id: cname.Id, cname: cname.Name })}
                  >
                    {words.settings.lookAgain}
                  </Button>
                  <Button kind="danger" onClick={() => setRemoved(cname)}>
                    {words.settings.remove}
                  </Button>
                </>
              )}
            </Row>
          ))}
        </ul>
      </Group>
      <LinkSettings domains={data?.Items ?? []} mayChange={mayChange} />
      {removed && <Removing cname={removed} onClose={() => setRemoved(undefined)} />}
    </Part>
  )
}

function Adding() {
  const [cname, setCname] = useState('')
  const add = useChange('v2 POST /cname', {
    stale,
    done: ({ Cname: { Name } }) => {
      setCname('')
      say(words.settings.domainAdded(Name))
    },
  })
  return (
    <form
      className="settings-adding"
      onSubmit={(event) => {
        event.preventDefault()
        if (!add.isPending) add.mutate({ cname })
      }}
    >
      <Field
        label={words.settings.domain}
        name="cname"
        placeholder="go.example.com"
        value={cname}
        maxLength={300}
        hint={words.settings.domainWhy}
        problem={add.error?.message}
        onChange={setCname}
      />
      <Button type="submit" busy={add.isPending}>
        {words.settings.addDomain}
      </Button>
    </form>
  )
}

function Removing({ cname: { Id, Name }, onClose }: { cname: Cname; onClose: () => void }) {
  const remove = useChange('v2 DELETE /cname/{id}', { stale, done: onClose })
  return (
    <Dialog
      title={words.settings.removing(Name)}
      onClose={onClose}
      onSubmit={() => remove.isPending || remove.mutate({ id: Id })}
    >
      {remove.error && <Problem {...told(remove.error)} />}
      <p>{words.settings.removeDomainWhy(Name)}</p>
      <DialogActions>
        <Button onClick={onClose}>{words.ui.cancel}</Button>
        <Button kind="danger" type="submit" busy={remove.isPending}>
          {words.settings.remove}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

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
