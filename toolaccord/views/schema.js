/**
 * Returns a field's schema without references, and without the alternative null.
 *
 * @param {any} schema
 * @param {any} root
 * @returns {any}
 */
export function plainSchema(schema, root) {
  const resolved = schema.$ref ? { ...reference(schema.$ref, root), ...schema, $ref: undefined } : schema;
  const choices = (resolved.anyOf ?? resolved.oneOf ?? []).filter((choice) => choice.type !== "null");
  if (choices.length === 1) {
    return plainSchema({ ...resolved, anyOf: undefined, oneOf: undefined, ...choices[0] }, root);
  }
  const types = Array.isArray(resolved.type) ? resolved.type.filter((type) => type !== "null") : [resolved.type];
  return { ...resolved, type: types.length === 1 ? types[0] : undefined };
}

/**
 * @param {string} path such as `#/$defs/Symbol`
 * @param {any} root
 */
function reference(path, root) {
  const steps = path.split("/").slice(1);
  const target = steps.reduce((value, step) => value?.[step.replaceAll("~1", "/").replaceAll("~0", "~")], root);
  return target ? plainSchema(target, root) : {};
}
