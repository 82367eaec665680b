import { useState } from 'react'
import type { Body } from '@/api/call.ts'
import { told, useCall, useChange, usePages } from '@/api/queries.ts'
import { useMay } from '@/api/session.ts'
import { ago } from '@/i18n/format.ts'
import { words } from '@/i18n/texts.ts'
import { changeSearch, useAddress } from '@/routes/router.ts'
import { Button } from '@/ui/button.tsx'
import { Dialog, DialogActions } from '@/ui/dialog.tsx'
import { Field } from '@/ui/field.tsx'
import { Find } from '@/ui/filters.tsx'
import { Empty, Problem, Waiting } from '@/ui/states.tsx'
import { type Column, Table } from '@/ui/table.tsx'
import { say } from '@/ui/toasts.tsx'
import { Part } from './section.tsx'

type Tag = Body<'v2 GET /tag'>['Items'][number]
const stale = ['v2 GET /tag', 'v2 GET /tag/{id}'] as const

/** What campaigns, messages and stories are tagged with; a name is changed everywhere at once. */
export function Tags() {
  const { search } = useAddress()
  const mayChange = useMay()('contribute')
  const q = search.get('q') ?? ''
  const wanted = search.get('tag') ?? ''
  const { items, isFirst, error, more, again } = usePages('v2 GET /tag', {
    _count: 100,
    _order: 'tag,1',
    ...(q && { q }),
  })
  const columns: Column<Tag>[] = [
    { id: 'tag', label: words.settings.tag, width: '60%', show: (one) => <span dir="auto">{one.Tag}</span> },
    { id: 'used', label: words.settings.lastUsed, show: (one) => ago(one.LastUsedDate, words.settings.never) },
  ]
  const close = () => changeSearch({ tag: '' })
  return (
    <Part isTable calls={['GET /v2/tag', 'POST /v2/tag', 'POST /v2/tag/{id}', 'DELETE /v2/tag/{id}']}>
      <header className="settings-head">
        <h2>{words.settings.section.tags}</h2>
        <Find
          label={words.settings.findTag}
          value={q}
          onChange={(text) => changeSearch({ q: text }, { replace: true })}
        />
        {mayChange && (
          <Button kind="main" icon="plus" onClick={() => changeSearch({ tag: 'new' })}>
            {words.settings.newTag}
          </Button>
        )}
      </header>
      {error && <Problem {...told(error)} onAgain={again} />}
      {isFirst && !error && <Waiting />}
      {!isFirst && items.length === 0 && (
        <Empty icon="tag" title={q ? words.settings.nothingFits : words.settings.noTags} />
      )}
      {items.length > 0 && (
        <Table
          label={words.settings.section.tags}
          columns={columns}
          rows={items}
          idOf={({ Id }) => Id}
          nameOf={(one) => one.Tag}
          {...(mayChange && { onOpen: ({ Id }: Tag) => changeSearch({ tag: Id }) })}
          onNearEnd={more}
        />
      )}
      {mayChange && wanted === 'new' && <TagDialog onClose={close} />}
      {mayChange && wanted && wanted !== 'new' && <OpenTag key={wanted} id={wanted} onClose={close} />}
    </Part>
  )
}

function OpenTag({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, error } = useCall('v2 GET /tag/{id}', { id }, { keepsLast: false })
  if (data) return <TagDialog tag={data.Tag} onClose={onClose} />
  return error ? (
    <Dialog title={words.settings.tag} onClose={onClose}>
      <Problem {...told(error)} />
    </Dialog>
  ) : null
}

function TagDialog({ tag, onClose }: { tag?: Pick<Tag, 'Id' | 'Tag'>; onClose: () => void }) {
  const [name, setName] = useState(tag?.Tag ?? '')
  const [isDeleting, setIsDeleting] = useState(false)
  const how = { stale, done: onClose }
  const create = useChange('v2 POST /tag', how)
  const rename = useChange('v2 POST /tag/{id}', how)
  const remove = useChange('v2 DELETE /tag/{id}', {
    stale,
    done: () => {
      say(words.settings.tagDeleted(tag?.Tag ?? ''))
      onClose()
    },
  })
  const problem = create.error ?? rename.error ?? remove.error
  const isBusy = create.isPending || rename.isPending || remove.isPending
  const save = () => {
    if (isBusy) return
    if (!tag) create.mutate({ tag: name })
    else if (isDeleting) remove.mutate({ id: tag.Id })
    else rename.mutate({ id: tag.Id, tag: name })
  }
  return (
    <Dialog title={tag ? words.settings.changeTag(tag.Tag) : words.settings.newTag} onClose={onClose} onSubmit={save}>
      {problem && <Problem {...told(problem)} />}
      {isDeleting ? (
        <p>{words.settings.deleteTagWhy(tag?.Tag ?? '')}</p>
      ) : (
        <Field
          label={words.settings.tag}
          name="tag"
          value={name}
          maxLength={64}
          dir="auto"
          autoFocus
          hint={tag && words.settings.renameTagWhy}
          onChange={setName}
        />
      )}
      <DialogActions>
        {tag && !isDeleting && (
          <Button kind="danger" icon="trash" onClick={() => setIsDeleting(true)}>
            {words.settings.delete}
          </Button>
        )}
        <Button onClick={onClose}>{words.ui.cancel}</Button>
        <Button kind={isDeleting ? 'danger' : 'main'} type="submit" busy={isBusy}>
          {isDeleting ? words.settings.delete : tag ? words.settings.save : words.settings.make}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
