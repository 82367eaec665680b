import { useState } from 'react'
import { Button } from '../../../ui/inputs/button.tsx'
import { Field } from '../../../ui/inputs/field.tsx'
import { Dialog, DialogActions } from '../../../ui/layers/dialog.tsx'
import { say } from '../../../ui/layers/toasts.tsx'
import { Problem, Waiting } from '../../../ui/layout/states.tsx'
import type { Body } from '../../../wire/call.ts'
import { told, useCall, useChange } from '../../../wire/queries.ts'
import { useMay } from '../../../wire/session.ts'
import { words } from '../../../words/words.ts'
import { ago } from '../moment.ts'
import { LinkSettings } from './link-settings.tsx'
import { Group, Part, Row } from './part.tsx'

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
