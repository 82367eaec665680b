import { type Crew, startCrew } from './crew.ts'
import { openStage, type Stage, type StageOptions } from './stage.ts'

/** A stage with the workers on it. */
export interface Scene {
  stage: Stage
  crew: Crew
  stop(): Promise<void>
}

interface SceneOptions extends StageOptions {
  /** One that is there already. */
  scene?: Scene | undefined
  workers: number
}

/** That of a run; whoever gave one keeps it. */
export async function openScene({ scene, workers, ...rest }: SceneOptions): Promise<Scene> {
  if (scene) return { ...scene, stop: async () => {} }
  const stage = await openStage(rest)
  const crew = await startCrew(stage, workers)
  const stop = async () => {
    await crew.stop()
    await stage.stop()
  }
  return { stage, crew, stop }
}
