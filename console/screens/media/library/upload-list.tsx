import { Button, IconButton } from '../../../ui/inputs/button.tsx'
import { Progress } from '../../../ui/marks/progress.tsx'
import { forgetUpload, type Sending, tryAgain, useUploads } from '../../../wire/uploads.ts'
import { words } from '../../../words/words.ts'

/** Files on their way, wherever one goes meanwhile. */
export function UploadList() {
  const uploads = useUploads()
  if (uploads.length === 0) return null
  return (
    <section className="upload-list" aria-label={words.library.uploads}>
      <h2>{words.library.uploads}</h2>
      <ul>
        {uploads.map((sending) => (
          <UploadRow key={sending.id} sending={sending} />
        ))}
      </ul>
    </section>
  )
}

function UploadRow({ sending: { id, name, size, sent, pace, state, problem } }: { sending: Sending }) {
  const isOver = state === 'done' || state === 'failed'
  return (
    <li className="upload" data-state={state}>
      <span className="upload-name" dir="auto">
        {name}
      </span>
      {!isOver && <Progress label={name} part={size === 0 ? 0 : sent / size} />}
      <span className="quiet number">
        {state === 'failed'
          ? problem
          : state === 'sending'
            ? words.library.progress(sent, size, pace)
            : words.library.states[state]}
      </span>
      {state === 'failed' && (
        <Button icon="again" onClick={() => tryAgain(id)}>
          {words.library.again}
        </Button>
      )}
      {isOver && <IconButton icon="close" label={words.ui.dismiss} onClick={() => forgetUpload(id)} />}
    </li>
  )
}
