/**
 * Returns a field's schema without references. The alternative null becomes the member `nullable`.
 *
 * @param {any} schema
 * @param {any} root
 * @returns {any}
 */
export function plainSchema(schema, root) {
  const { $ref, anyOf, oneOf, ...own } = schema;
  const resolved = $ref ? { ...reference($ref, root), ...own } : own;
  const choices = anyOf ?? oneOf ?? [];
  const others = choices.filter((choice) => choice.type !== "null");
  const isNullable = others.length < choices.length || hasNull(resolved);
  const plain = others.length === 1 ? { ...plainSchema(others[0], root), ...resolved } : resolved;
  return { ...plain, type: typeOf(plain.type), nullable: isNullable || plain.nullable === true };
}

/** @param {any} schema */
function hasNull({ type, enum: values }) {
  return (Array.isArray(type) && type.includes("null")) || (values?.includes(null) ?? false);
}

/**
 * @param {string | string[] | undefined} type
 * @returns {string | undefined} a type alone, apart from null
 */
function typeOf(type) {
  const types = [type].flat().filter((each) => each !== "null");
  return types.length === 1 ? types[0] : undefined;
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
